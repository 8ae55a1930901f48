import type { Reader } from "../../platform/database/database.ts";

/** Notes, before a message is handed over, that it may arrive from now on: a process that ends there cannot say any more. False when it has ended meanwhile. */
export async function beginDelivery(reader: Reader, id: string): Promise<boolean> {
  const rows = await reader
    .updateTable("notices")
    .set({ may_have_left: true })
    .where("id", "=", id)
    .where("state", "=", "queued")
    .returning("id")
    .execute();
  return rows.length === 1;
}

/** Ends a message, and those it lists: its content is emptied in the same statement, because it may hold a link or a code. */
export async function finishNotice(
  reader: Reader,
  end: { id: string; state: "sent" | "refused"; serverAnswer: string; at: Date; mayHaveLeft: boolean },
): Promise<void> {
  await reader
    .updateTable("notices")
    .set((eb) => ({
      state: end.state,
      server_answer: end.serverAnswer,
      tries: eb("tries", "+", 1),
      content_wrapped: null,
      sent_at: end.state === "sent" ? end.at : null,
      ended_at: end.at,
      may_have_left: end.mayHaveLeft,
    }))
    .where((eb) => eb.or([eb("id", "=", end.id), eb("summary_id", "=", end.id)]))
    .where("state", "=", "queued")
    .execute();
}

/** Keeps the server's words of a delivery that is to be tried again. */
export async function recordDeferral(reader: Reader, deferral: { id: string; serverAnswer: string; mayHaveLeft: boolean }): Promise<void> {
  await reader
    .updateTable("notices")
    .set((eb) => ({ server_answer: deferral.serverAnswer, tries: eb("tries", "+", 1), may_have_left: deferral.mayHaveLeft }))
    .where("id", "=", deferral.id)
    .where("state", "=", "queued")
    .execute();
}
