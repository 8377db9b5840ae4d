// A story per view, told by keyboard and mouse to a real server with the sample life.
import { accessible, browse, cairn, check, open, post, shoot, start, stop, tidy } from "./world.mjs";

const PASSPHRASE = "a quiet harbour at night";
const stories = [];
const story = (name, tell) => stories.push({ name, tell });
const only = process.argv[2];

const begun = Date.now();
const server = await start(["console", "--demo", "--no-browser", "--port", "0"]);
console.log(`lived the sample life in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
cairn(["--home", server.folder, "operator", "init"], { env: { CAIRN_OPERATOR_PASSPHRASE: PASSPHRASE } });
const at = (path) => `${server.url}/${path}`;
const heading = (page, name) => page.getByRole("heading", { name, level: 1 }).waitFor();
const visible = (page, text) => page.getByText(text).first().waitFor();

story("today shows what came in, what became of it and what is due", async (page) => {
  await page.goto(at(""));
  await heading(page, "Today");
  await visible(page, "What came in");
  await page.getByRole("heading", { name: "What changed" }).waitFor();
  if (!page.url().includes("#/main/today")) throw new Error(`no address that can be shared: ${page.url()}`);
  const quiet = page.getByText("Quiet. Whatever happens");
  await quiet.waitFor();
  // Events begin when the stream is open.
  for (let tries = 0; tries < 20 && (await quiet.isVisible()); tries += 1) {
    await post(server.url, "/v1/agents/main/remember", { text: `The kiln was opened at ${tries}.` });
    await page.waitForTimeout(250);
  }
  await visible(page, "a message came in");
});

story("ask answers with lanes, parts of the score and why, down to the archive", async (page) => {
  await page.goto(at("#/main/today"));
  await heading(page, "Today");
  await page.keyboard.press("/");
  await page.keyboard.type("which flat did we take in Lisbon?");
  await page.keyboard.press("Enter");
  await heading(page, "Ask");
  await page.getByText(/hits in/).waitFor();
  await page.getByRole("button", { name: "why?" }).first().click();
  await page.getByText(/\.jsonl, line \d+/).first().waitFor();
  await visible(page, "✓ reads the same");
  await page.getByLabel("beside it").selectOption("seed");
  await page.getByText(/profile seed, \d+ ms/).waitFor();
  await page.getByLabel("beside it").selectOption("");
});

story("as of stands above every view, and each shows that day or says that it cannot", async (page) => {
  const SAYS = { told: "“as of” does not change this view", house: "“as of” does not change this view" };
  for (const view of ["today", "told", "timeline", "memories", "people", "nights", "threads", "growth", "house"]) {
    await page.goto(at(`#/main/${view}?as_of=2026-04-01`));
    await heading(page, /./);
    await page.locator(".as-of.past").waitFor();
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => {});
    if (SAYS[view]) await visible(page, SAYS[view]);
    const days = await page.locator("main article time").evaluateAll((times) => times.map((time) => time.dateTime));
    const later = days.filter((day) => day.slice(0, 10) > "2026-04-01");
    if (later.length) throw new Error(`${view} knew of ${later.slice(0, 3)}`);
    check(page, view);
  }
});

story("as of a day in spring it knows nothing of the summer", async (page) => {
  await page.goto(at("#/main/ask?q=where+does+Deniz+live&as_of=2026-03-01"));
  await page.getByText(/hits in/).waitFor();
  const days = await page.locator("main time, main .hit a").allTextContents();
  const later = days.map((day) => Date.parse(`${day} UTC`)).filter((day) => day > Date.parse("2026-03-02"));
  if (later.length) throw new Error(`it knew of ${later.length} later days`);
  await page.goto(at("#/main/memories?as_of=2026-03-01"));
  await page.getByText(/\d+\+? shown/).waitFor();
  await shoot(page, "memories-as-of");
  await page.keyboard.press("]");
  await page.waitForFunction(() => location.hash.includes("2026-03-08"));
  await page.getByRole("button", { name: "today" }).click();
  await page.waitForFunction(() => !location.hash.includes("as_of"));
});

story("told shows the block, its tokens and the gate", async (page) => {
  await page.goto(at("#/main/told?q=the+move+to+Lisbon"));
  await heading(page, "As it would be told");
  await page.getByText(/of 600/).waitFor();
  await page.getByText(/Mode/).waitFor();
  await page.getByText(/sections without a word/).click();
  await visible(page, "nothing to say");
});

story("timeline goes from the calendar to a day to the words", async (page) => {
  await page.goto(at("#/main/timeline"));
  await heading(page, "Timeline");
  await page.locator("rect[role=button]").nth(3).click();
  await page.waitForFunction(() => /timeline\/\d{4}-/.test(location.hash));
  await page.locator("article time").first().waitFor();
  await page.keyboard.press("k");
});

story("memories are filtered, walked by keyboard, pinned, rested, woken and corrected", async (page) => {
  await page.goto(at("#/main/memories?category=preference"));
  await page.getByText(/\d+\+? shown/).waitFor();
  await page.locator(".list li").first().waitFor();
  await page.keyboard.press("j");
  await page.locator(".u-over, canvas").first().waitFor();
  await page.getByRole("button", { name: "Let it rest" }).click();
  await visible(page, "It rests.");
  await page.getByRole("button", { name: "Wake" }).click();
  await visible(page, "It is awake again.");
  await page.getByRole("button", { name: "Correct" }).click();
  await page.getByLabel("What it should say").fill("Deniz prefers quiet mornings.");
  await page.getByRole("button", { name: "Say so" }).click();
  await visible(page, "The correction was said.");
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await visible(page, "It is pinned");
  await page.getByRole("button", { name: "Unpin" }).click();
  await page.getByRole("alert").getByText("only an operator may do this").waitFor();
});

story("people: a page, a neighborhood and a way on", async (page) => {
  await page.goto(at("#/main/people"));
  await heading(page, "People and things");
  await page.locator(".cloud a").first().click();
  await page.getByRole("heading", { name: "Together with" }).waitFor();
  await page.locator(".graph canvas").first().waitFor();
  await visible(page, "What held, from when until when");
  await page.goto(at("#/main/people?graph=few"));
  await page.getByText(/\d+ names, \d+ edges/).waitFor();
  await shoot(page, "people-graph");
});

story("beliefs: an agent is asked to sign in, an operator sees for and against", async (page) => {
  await page.goto(at("#/main/beliefs"));
  await visible(page, "Sign in as the operator");
  await page.getByLabel("Passphrase").fill("wrong words here");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Passphrase").fill(PASSPHRASE);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".belief").first().click();
  await visible(page, "For it (");
  await visible(page, "What its confidence is made of");
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  if (stored !== '[{},{},""]') throw new Error(`something is stored: ${stored}`);
});

story("review: decided, undone, by keyboard; without a sign-in no button works", async (page) => {
  await page.goto(at("#/main/review"));
  await visible(page, "Sign in as the operator");
  if (await page.getByRole("button", { name: /Accept/ }).count()) throw new Error("a button for whoever may not");
  const refused = await fetch(at("v1/agents/main/review"));
  if (refused.status !== 403) throw new Error(`an agent was answered ${refused.status}`);
  await page.getByLabel("Passphrase").fill(PASSPHRASE);
  await page.keyboard.press("Enter");
  await visible(page, "Its sources, as they read now");
  // What a model would be told after it: nothing new now, the belief once the mode is enforce.
  await visible(page, "Not a word changes.");
  await page.getByText("Once the mode is").waitFor();
  await page.locator(".lines .came").first().waitFor();
  await page.getByRole("group", { name: "The decision that is looked at" }).getByRole("button", { name: "Reject" }).click();
  await page.locator(".lines .came").first().waitFor({ state: "detached" });
  await page.getByRole("group", { name: "The decision that is looked at" }).getByRole("button", { name: "Accept" }).click();
  await page.locator(".lines .came").first().waitFor();
  await accessible(page, "review");
  await shoot(page, "review");
  await page.keyboard.press("a");
  await visible(page, "a decision needs a reason");
  await page.getByLabel("Reason").fill("I heard it myself.");
  await page.keyboard.press("Escape");
  await page.keyboard.press("x");
  await page.getByText(/receipt #\d+/).waitFor();
  await page.keyboard.press("u");
  await page.getByText(/receipt #\d+/).waitFor({ state: "detached" });
  // The cookie alone is not enough for a write.
  const status = await page.evaluate(async () => (await fetch("/v1/agents/main/receipts/1/rollback", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"reason":"x"}' })).status);
  if (status !== 403) throw new Error(`a write without the page's token was answered ${status}`);
});

story("growth: coherence, inquiries with their passes, standing with its trail, and a proposal that is decided in review", async (page) => {
  await page.goto(at("#/main/growth"));
  await heading(page, "Growth");
  await page.getByText(/\d+ of \d+ called for its anchors/).waitFor();
  await visible(page, "Nothing was proposed");
  for (const text of ["No, that is wrong, you are just a machine!", "Here is the draft, as promised.", "Remind me on Friday to send the invoice to Harriet."]) await post(server.url, "/v1/agents/main/remember", { text, session: "call-7" });
  cairn(["--home", server.folder, "rhythms", "run", "contemplation"], { env: { CAIRN_NOW: "2026-10-21T06:00:00Z" } });
  const evidence = [(await (await fetch(at("v1/agents/main/timeline?k=1"))).json()).entries[0].ref];
  await post(server.url, "/v1/agents/main/proposals", { file: "SOUL.md", text: "- I never promise a date that nobody has confirmed.", reason: "Deniz asked for it.", evidence });
  await page.reload();
  await page.locator("rect.warn").first().waitFor({ state: "attached" });
  await visible(page, "identity challenge +0.40");
  await page.locator(".inquiry .made").first().waitFor();
  await visible(page, "keeps word");
  await accessible(page, "growth");
  await shoot(page, "growth");
  // Before that, none of it was known.
  await page.goto(at("#/main/growth?as_of=2026-09-01"));
  await visible(page, "Nothing is being thought about by then");
  await visible(page, "Nothing was proposed by then");
  await page.goto(at("#/main/today"));
  await visible(page, "Remind me on Friday");
  await page.getByRole("button", { name: "done", exact: true }).first().click();
  await page.getByRole("link", { name: "A change of SOUL.md" }).click();
  await page.getByLabel("Passphrase").fill(PASSPHRASE);
  await page.keyboard.press("Enter");
  await visible(page, "The difference it makes");
  await page.locator(".diff .came").waitFor();
  await shoot(page, "review-proposal");
  await page.getByLabel("Reason").fill("It is true.");
  await page.getByRole("button", { name: "Accept (a)" }).click();
  await page.getByText(/receipt #\d+/).waitFor();
  await page.getByRole("button", { name: "Undo (u)" }).click();
  await page.getByText(/receipt #\d+/).waitFor({ state: "detached" });
});

story("nights: what each step changed, before and after", async (page) => {
  await page.goto(at("#/main/nights"));
  await heading(page, "Nights");
  await page.locator("section ul a", { hasText: "dream" }).first().waitFor();
  await page.locator("section ul a", { hasText: "changes" }).first().click();
  await page.getByRole("columnheader", { name: "looked at" }).waitFor();
});

story("threads: where each was left", async (page) => {
  await page.goto(at("#/main/threads"));
  await heading(page, "Threads");
  await page.locator(".list a").nth(1).click();
  await page.waitForFunction(() => /threads\/./.test(location.hash));
});

story("house: sizes, doctor, and with a sign-in agents and configuration", async (page) => {
  await page.goto(at("#/main/house"));
  await heading(page, "House");
  await visible(page, "Doctor");
  await page.getByRole("cell", { name: "answering a question" }).waitFor();
  await page.getByLabel("Passphrase").fill(PASSPHRASE);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Configuration in force").waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByText(/Backed up into/).waitFor();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
});

story("every view is reached by keyboard, with nothing serious for axe, in light, in dark and on a phone", async (page, browser) => {
  const VIEWS = { t: "Today", a: "Ask", w: "As it would be told", l: "Timeline", m: "Memories", p: "People and things", b: "Beliefs", r: "Review", n: "Nights", h: "Threads", c: "Growth", o: "House" };
  const dark = await open(browser, { colorScheme: "dark" });
  const phone = await open(browser, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const each of [page, dark, phone]) await each.goto(at("#/main/today"));
  for (const [key, title] of Object.entries(VIEWS)) {
    for (const [each, kind] of [[page, ""], [dark, "-dark"], [phone, "-phone"]]) {
      await heading(each, /./);
      await each.keyboard.press("g");
      await each.keyboard.press(key);
      await heading(each, title);
      await each.waitForLoadState("networkidle").catch(() => {});
      await accessible(each, title + kind);
      const wide = await each.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 1) throw new Error(`${title}${kind} is ${wide} pixels too wide`);
      await shoot(each, title.toLowerCase().replaceAll(" ", "-") + kind);
      check(each, title + kind);
    }
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await accessible(page, "keys");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await dark.context().close();
  await phone.context().close();
});

story("hostile words are data: scripts, reordering characters, a line of a megabyte", async (page) => {
  const texts = [
    `I keep <script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> and [a link](javascript:window.hacked=1) in my notes.`,
    `My account is \u202egnp.exe\u202c and \u2066hidden\u2069 \u0007 bell, \u200bnothing.`,
    `I wrote ${"a very long line ".repeat(65_000)}`,
  ];
  for (const text of texts) await post(server.url, "/v1/agents/main/remember", { text, session: "hostile" });
  await page.goto(at("#/main/timeline"));
  await page.getByText("<script>window.hacked").first().waitFor();
  await page.getByText("U+202E").first().waitFor();
  await page.getByRole("button", { name: /show more \([\d,]+ characters left\)/ }).first().click();
  await shoot(page, "hostile");
  for (const view of ["today", "memories", "ask?q=account+gnp+notes", "people", "told"]) {
    await page.goto(at(`#/main/${view}`));
    await heading(page, /./);
    await page.waitForLoadState("networkidle").catch(() => {});
    if (await page.evaluate(() => "hacked" in window || document.querySelector("main img, main script, main a[href^=javascript]"))) throw new Error(`${view} obeyed what was said`);
  }
});

story("other origins, other hosts and frames are refused", async (page) => {
  const body = JSON.stringify({ text: "from elsewhere" });
  const asked = async (headers) => (await fetch(at("v1/agents/main/remember"), { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body })).status;
  if ((await asked({ Origin: "https://evil.example" })) !== 403) throw new Error("another origin wrote");
  const { request } = await import("node:http");
  const port = new URL(server.url).port;
  const rebound = await new Promise((resolve) => request({ host: "127.0.0.1", port, path: "/", headers: { Host: "evil.example" } }, (answer) => resolve(answer.statusCode)).end());
  if (rebound !== 403) throw new Error(`a rebound host was answered ${rebound}`);
  await page.setContent(`<iframe src="${server.url}/"></iframe>`);
  await page.waitForTimeout(500);
  const frame = page.frames()[1];
  const inside = await frame?.evaluate(() => document.body?.innerText ?? "").catch(() => "");
  if (/Today|Memories/.test(inside ?? "")) throw new Error("it was framed");
  page.wrong = [];
  const first = await fetch(server.url + "/", { headers: { "Accept-Encoding": "gzip" } });
  const again = await fetch(server.url + "/", { headers: { "If-None-Match": first.headers.get("etag") } });
  if (again.status !== 304) throw new Error(`the same page was sent again: ${again.status}`);
});

story("the server goes away and comes back", async (page) => {
  await page.goto(at("#/main/memories"));
  await page.locator(".list li").first().waitFor();
  const port = new URL(server.url).port;
  await stop(server, "SIGKILL");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByText("The server does not answer.").waitFor();
  await shoot(page, "away");
  const back = await start(["--home", server.folder, "serve", "--port", port], { CAIRN_NOW: "2026-11-01T08:00:00Z" });
  server.child = back.child;
  await page.getByText("The server does not answer.").waitFor({ state: "detached" });
  await page.getByText("What came in").waitFor();
  page.wrong = [];
});

const chosen = stories.filter(({ name }) => !only || only.split("|").some((words) => name.includes(words)));
if (!chosen.length) throw new Error(`no story is named so: ${only}`);
const browser = await browse();
let failed = 0;
try {
  for (const { name, tell } of chosen) {
    const from = Date.now();
    const page = await open(browser);
    try {
      await tell(page, browser);
      check(page, name);
      console.log(`ok    ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}\n${page.wrong.join("\n")}`);
      await shoot(page, `failed-${failed}`).catch(() => {});
    }
    await page.context().close();
  }
} finally {
  await browser.close();
  await stop(server);
  tidy(server.folder);
}
console.log(`${chosen.length - failed} stories of ${chosen.length} told in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
