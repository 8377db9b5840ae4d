// The real server, in a home of its own. CAIRN names the program.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function serve() {
  const program = process.env.CAIRN ?? new URL("../../../target/debug/cairn", import.meta.url).pathname;
  const home = mkdtempSync(join(tmpdir(), "cairn-"));
  const env = { ...process.env, CAIRN_HOME: home, CAIRN_MODELS: join(home, "models"), CAIRN_LOG: "error" };
  const server = spawn(program, ["--json", "serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  return {
    env,
    url: JSON.parse(line.toString()).url,
    async stop() {
      server.kill();
      await once(server, "exit");
      rmSync(home, { recursive: true, force: true });
    },
  };
}
