// A real server with the sample life and its nights, and a real browser that looks at it.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const CAIRN = process.env.CAIRN;
export const SHOTS = process.env.CONSOLE_SHOTS;
const STARTED_WITHIN_MS = 300_000;
// No embedding model: stories need none, and a debug build takes its time with one.
process.env.CAIRN_MODELS = `${SHOTS}/no-models`;

/** Starts a command of cairn that serves, and waits until it says where. */
export function start(args, env = {}) {
  const child = spawn(CAIRN, ["--json", ...args], { env: { ...process.env, CAIRN_LOG: "error", ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr.on("data", (data) => (err += data));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not start: ${err}`)), STARTED_WITHIN_MS);
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${err}`)));
    child.stdout.on("data", (data) => {
      out += data;
      const url = out.match(/"url": ?"(http:[^"]+)"/)?.[1];
      if (!url) return;
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve({ child, url: url.replace(/\/$/, ""), folder: err.match(/nights in (.+)/)?.[1]?.trim() });
    });
  });
}

export function stop(server, signal = "SIGTERM") {
  return new Promise((resolve) => {
    server.child.on("exit", resolve);
    server.child.kill(signal);
  });
}

/** Runs a command that ends by itself. */
export function cairn(args, { input = "", env = {} } = {}) {
  const done = spawnSync(CAIRN, args, { input, env: { ...process.env, ...env }, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`cairn ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

export async function post(url, path, body) {
  const response = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export async function browse() {
  const executablePath = process.env.CHROME;
  if (!executablePath || !existsSync(executablePath)) throw new Error("CHROME names no browser");
  mkdirSync(SHOTS, { recursive: true });
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--font-render-hinting=none"] });
}

/** A page that notes everything that goes wrong in it. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.CONSOLE_PATIENCE_MS ?? 15_000));
  page.wrong = [];
  page.on("pageerror", (error) => page.wrong.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refusal that the page shows is no fault of the page.
    if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text())) page.wrong.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url())) page.wrong.push(`asks elsewhere: ${request.url()}`);
  });
  return page;
}

export function check(page, label) {
  if (page.wrong.length) throw new Error(`${label}: ${page.wrong.join("; ")}`);
}

/** Serious findings of axe-core fail the story. */
export async function accessible(page, label) {
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.split("\n")[1] ?? ""}`) })));
  const serious = findings.filter((finding) => ["serious", "critical"].includes(finding.impact));
  if (serious.length) throw new Error(`${label}: ${JSON.stringify(serious, null, 1)}`);
}

export async function shoot(page, name) {
  await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

export function tidy(folder) {
  if (folder) rmSync(folder, { recursive: true, force: true });
}
