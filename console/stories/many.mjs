// A home with many messages and memories (generated fiction, the same every time), and how the console does with it.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { browse, cairn, check, open, shoot, start, stop } from "./world.mjs";

const MESSAGES = 100_000;
const MEMORIES = 20_000;
const NAMES = 5_000;
/** What a person is to wait for at most, in milliseconds. */
const FIRST_VIEW_MS = 1_500;
const LONG_TASK_MS = 100;
const GRAPH_MS = 3_000;
const FIRST = Date.parse("2024-01-01T08:00:00Z");
const DAYS = 700;

/** Numbers from a seed. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = (list, next) => list[next(list.length)];
const BEGIN = ["Bal", "Cor", "Dre", "Fen", "Gor", "Hal", "Jor", "Kel", "Lor", "Mar", "Nor", "Pel", "Quin", "Ros", "Sel", "Tor", "Ulm", "Ver", "Wil", "Zan"];
const MIDDLE = ["a", "e", "i", "o", "u", "ada", "ela", "ino", "oro", "une", "ami", "eri", "isa", "olo", "uri"];
const END = ["ba", "dan", "fer", "gos", "ka", "lin", "mer", "na", "pol", "ra", "sen", "ta", "vik", "wen", "xan", "zo", "dor", "mund"];
const DOES = ["keeps bees with", "repairs boats with", "plays chess against", "shares a workshop with", "sings in a choir with", "grows tomatoes with", "teaches the violin to", "bakes bread for"];
const ACK = ["Noted.", "Thanks for telling me.", "All right.", "Okay, good.", "I see.", "Sure."];

/** At most `count` invented names, no two alike. */
function invented(count) {
  const found = [];
  for (const end of END) for (const middle of MIDDLE) for (const begin of BEGIN) if (found.length < count) found.push(begin + middle + end);
  return found;
}

function lines() {
  const next = numbers(7);
  const names = invented(NAMES + 200);
  const every = Math.floor(MESSAGES / MEMORIES);
  let told = 0;
  return Array.from({ length: MESSAGES }, (_, i) => {
    const day = Math.floor((i / MESSAGES) * DAYS);
    const at = new Date(FIRST + day * 86_400_000 + (i % 140) * 60_000).toISOString().replace(".000", "");
    const session = `day-${day}`;
    const thread = ["harbour", "garden", "choir", "workshop"][day % 4];
    const telling = i % every === 0;
    const text = telling ? `My friend ${names[told++ % names.length]} ${pick(DOES, next)} ${names[next(names.length)]} since ${1_960 + next(60)}, at number ${i}.` : `${pick(ACK, next)}`;
    const role = telling ? "user" : "assistant";
    return JSON.stringify({ id: `many-${i}`, role, speaker: role, text, at, session, thread });
  });
}

/** Takes them in and makes memories of them: minutes, much longer with a program that is not optimized. */
function furnish(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/config.toml`, '[embedder]\nkind = "none"\n');
  const file = `${folder}/many.jsonl`;
  writeFileSync(file, lines().join("\n"));
  cairn(["--home", folder, "ingest", file]);
  cairn(["--home", folder, "form"]);
}

/** The longest task while the list is scrolled from its beginning to its end, and how many memories it had. */
async function scrolled(page) {
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.longest = Math.max(window.longest, entry.duration)))).observe({ type: "longtask" });
  });
  const shown = () => page.locator("[role=status]").first().innerText();
  for (let quiet = 0; quiet < 20; ) {
    const before = await page.locator(".list").evaluate((list) => {
      list.scrollBy(0, 6_000);
      return list.scrollTop;
    });
    await page.waitForTimeout(50);
    quiet = (await page.locator(".list").evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 5)) && !(await shown()).includes("+") ? quiet + 20 : before ? 0 : quiet + 1;
  }
  return { longest: await page.evaluate(() => window.longest), shown: await shown() };
}

const folder = process.argv[2];
if (!existsSync(`${folder}/agents`)) furnish(folder);
const server = await start(["--home", folder, "serve", "--port", "0"], { CAIRN_NOW: "2025-12-02T08:00:00Z" });
const browser = await browse();
const failures = [];
const measure = (what, ms, most) => {
  console.log(`${ms <= most ? "ok    " : "FAILED"} ${what}: ${Math.round(ms)} ms of ${most} ms`);
  if (ms > most) failures.push(what);
};
try {
  const sizes = await (await fetch(`${server.url}/v1/agents/main/stats`)).json();
  console.log(`${sizes.messages} messages, ${sizes.memories} memories, ${sizes.entities} names`);
  for (const time of ["the first time", "again"]) {
    const page = await open(browser);
    const begun = Date.now();
    await page.goto(`${server.url}/#/main/today`);
    await page.locator("article").first().waitFor();
    measure(`first view usable, ${time}`, Date.now() - begun, FIRST_VIEW_MS);
    check(page, "today");
    await page.context().close();
  }
  const page = await open(browser);
  for (const [view, first] of [["timeline", "article"], ["memories", ".list li"], ["people", ".cloud li"]]) {
    const begun = Date.now();
    await page.goto(`${server.url}/#/main/${view}`);
    await page.locator(first).first().waitFor();
    measure(`${view} usable`, Date.now() - begun, FIRST_VIEW_MS);
    await shoot(page, `many-${view}`);
  }
  await page.goto(`${server.url}/#/main/memories`);
  await page.locator(".list li").first().waitFor();
  await page.waitForTimeout(1_000);
  const { longest, shown } = await scrolled(page);
  measure(`longest task while the list is scrolled to its end (${shown})`, longest, LONG_TASK_MS);
  // Drawn by a processor instead of a graphics card, as a machine without one does.
  await page.goto(`${server.url}/#/main/people`);
  await page.locator(".cloud li").first().waitFor();
  const begun = Date.now();
  await page.goto(`${server.url}/#/main/people?graph=all`);
  await page.getByText(/[\d,]+ names, [\d,]+\+? edges/).waitFor();
  measure(`the graph of ${(await page.locator("figcaption").innerText()).match(/[\d,]+ names/)?.[0]}`, Date.now() - begun, GRAPH_MS);
  await page.waitForTimeout(500);
  await shoot(page, "many-graph");
  check(page, "many");
} finally {
  await browser.close();
  await stop(server);
}
process.exit(failures.length ? 1 : 0);
