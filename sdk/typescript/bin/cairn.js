#!/usr/bin/env node
// Starts the program that came with the package for this machine, and passes on what it is sent and how it ends.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const carrier = `cairn-recall-${process.platform}-${process.arch}`;
let program;
try {
  program = createRequire(import.meta.url).resolve(`${carrier}/bin/cairn`);
} catch {
  console.error(`error: the program for ${process.platform} on ${process.arch} is not installed`);
  console.error(`hint: npm install ${carrier}; if there is no such package, build it with cargo install --path crates/cli`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  console.error("hint: install the package again");
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
