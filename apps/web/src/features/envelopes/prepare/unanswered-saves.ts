import type { Envelope } from "@paraphe/contracts";
import { type Draft, type DraftPart, draftOf } from "./draft.ts";
import { substanceOf } from "./draft-substance.ts";

/** What one save sent, part by part, as it compares. */
export type SentParts = Readonly<Partial<Record<DraftPart, string>>>;

/** The next ones take the place of the oldest: all of them went over one version, and one at most was made. */
const MOST = 3;
const BESIDE_FIELDS: readonly DraftPart[] = ["title", "message", "deadline", "isSequential", "remindEveryDays", "proofOnly", "recipients"];

/**
 * The changes of a draft that left and were not answered: the network, or a reload, took the answer away. One of them may have been made all the
 * same; the version has then moved by it, and nobody else has touched the draft.
 */
export class UnansweredSaves {
  #sent: readonly SentParts[];
  #areFilesUnsure = false;

  constructor(sent: readonly SentParts[] = []) {
    this.#sent = sent;
  }

  readonly list = (): readonly SentParts[] => this.#sent;

  /** A save leaves; gives what it is known by. */
  add(draft: Draft, parts: Iterable<DraftPart>): SentParts {
    const sent = Object.fromEntries(Array.from(parts, (part) => [part, substanceOf(draft, part)])) as SentParts;
    const isSame = (other: SentParts) => JSON.stringify(other) === JSON.stringify(sent);
    this.#sent = [...this.#sent.filter((other) => !isSame(other)), sent].slice(-MOST);
    return sent;
  }

  /** A change of the files has left without an answer. */
  addFiles(): void {
    this.#areFilesUnsure = true;
  }

  /** The service has read this save, and not made it. */
  remove(sent: SentParts): void {
    this.#sent = this.#sent.filter((other) => other !== sent);
  }

  /** The service's version is known again. */
  clear(): void {
    this.#sent = [];
    this.#areFilesUnsure = false;
  }

  /** Tells whether what the service has now is what it had `before`, and one of these. */
  explain(found: Envelope, before: { readonly version: number; readonly draft?: Draft }): boolean {
    if (found.version !== before.version + 1) return false;
    const stored = draftOf(found);
    const isMade = (sent: SentParts) => Object.entries(sent).every(([part, text]) => substanceOf(stored, part as DraftPart) === text);
    if (this.#sent.some(isMade)) return true;
    const { draft } = before;
    return (
      this.#areFilesUnsure && draft !== undefined && BESIDE_FIELDS.every((part) => substanceOf(stored, part) === substanceOf(draft, part))
    );
  }
}
