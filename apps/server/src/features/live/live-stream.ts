import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import { eventText } from "./domain/live-event.ts";
import type { StreamBook } from "./domain/stream-book.ts";

/** Where a stream's events go. `write` gives false when the browser no longer takes them. */
export type Outlet = { write(text: string): boolean; end(): void };

/** An open stream. `counts` is what it was last told. */
export type LiveStream = { readonly user: SessionUser; readonly outlet: Outlet; counts: string };

export type LiveDeps = { readonly platform: Platform; readonly book: StreamBook<LiveStream> };
type Book = Pick<LiveDeps, "book">;

/** Writes on a stream; one whose browser no longer reads is closed, and will ask again when it can. */
export function sendText(deps: Book, stream: LiveStream, text: string): void {
  if (!stream.outlet.write(text)) leaveStream(deps, stream);
}

/** Closes a stream for good, and says why. */
export function endStream(deps: Book, stream: LiveStream, reason: "session_ended" | "replaced"): void {
  stream.outlet.write(eventText("end", { reason }));
  leaveStream(deps, stream);
}

/** Closes a stream; its browser will come back. */
export function leaveStream({ book }: Book, stream: LiveStream): void {
  book.remove(stream);
  stream.outlet.end();
}
