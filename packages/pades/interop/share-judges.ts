import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type JudgeName, type Lines, SHARED_JUDGES, startJudge } from "./judge-process.ts";

/**
 * Set-up of a test run: one DSS and one pyHanko for all its files, started by the first question. A JVM that has judged a hundred files judges the next
 * one in a tenth of the time that its first took. Asked for by two projects of one run, the first to come shares with the other.
 */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env[SHARED_JUDGES] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "paraphe-judges-"));
  const closings = await Promise.all((["dss", "pyHanko"] as const).map((name) => share(name, join(folder, name))));
  process.env[SHARED_JUDGES] = folder;
  return () => {
    delete process.env[SHARED_JUDGES];
    for (const close of closings) close();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function share(name: JudgeName, path: string): Promise<() => void> {
  let judge: Lines | null = null;
  const answerTo = (socket: Socket): void => {
    const refuse = (error: Error): string => JSON.stringify({ pdf: "", error: error.message });
    // Answers keep the order of the questions: the judge gives its own so.
    createInterface({ input: socket }).on("line", (line) => {
      judge ??= startJudge(name);
      void judge
        .ask(line)
        .catch(refuse)
        .then((answer) => socket.write(`${answer}\n`));
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
