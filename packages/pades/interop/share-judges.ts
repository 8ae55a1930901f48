import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type JudgeName, type Lines, SHARED_JUDGES, startJudge } from "./judge-process.ts";

/**
 * Starts one DSS and one pyHanko for a test run, at the first question. A JVM that has validated a
 * hundred files takes a tenth of the time for the next one. Two projects of one run share them.
 */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[SHARED_JUDGES] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "paraphe-judges-"));
  const closings = await Promise.all(
    (["dss", "pyHanko"] as const).map((name) => share(name, join(folder, name))),
  );
  process.env[SHARED_JUDGES] = folder;
  return () => {
    delete process.env[SHARED_JUDGES];
    for (const close of closings) close();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function share(name: JudgeName, path: string): Promise<() => void> {
  let judge: Lines | null = null;
  const answer = async (socket: Socket, line: string): Promise<void> => {
    const asked = judge ?? startJudge(name);
    judge = asked;
    try {
      socket.write(`${await asked.ask(line)}\n`);
    } catch {
      // It ended: the callers see the connection close, and the next question starts another.
      if (judge === asked) judge = null;
      socket.destroy();
    }
  };
  const answerTo = (socket: Socket): void => {
    // One question of each file at a time: a file that asks a hundred does not hold the others up.
    let answered = Promise.resolve();
    createInterface({ input: socket }).on("line", (line) => {
      answered = answered.then(() => answer(socket, line));
    });
    // A test process that was ended takes its connection with it.
    socket.on("error", () => socket.destroy());
  };
  const server = createServer(answerTo);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  server.unref();
  return () => {
    judge?.close();
    server.close();
  };
}
