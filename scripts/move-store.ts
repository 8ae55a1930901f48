import { setTimeout as wait } from "node:timers/promises";
import { onService, writeOutcome } from "./on-service.ts";
import { runMoveStore } from "./store/run-move-store.ts";

/** `npm run move-store -- <from> <to>`: brings every file of the service that the settings name from one store into another, while it runs. */
await onService(async (platform) => {
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  writeOutcome(await runMoveStore(platform, process.argv.slice(2), { environment: process.env, wait, progress }));
});
