import { type AuditEvent, type Envelope, eventRules } from "@paraphe/contracts";
import type { TimelineItem } from "../../ui/timeline/timeline.tsx";

type Sentence = Pick<TimelineItem, "icon" | "tone"> & { readonly text: string };
type Reached = Pick<Envelope, "recipients" | "reached">;

/** Gives the sentence of a journal event. One that the client does not know is still shown, by the name of who acted. */
export function journalSentence(event: AuditEvent, envelope: Reached): Sentence {
  const rules = eventRules(event.action);
  if (rules === null) return { icon: "info", tone: "neutral", text: `Action de ${event.actor}` };
  const who = recipientOf(event, envelope.recipients) ?? event.actor;
  const text = rules.sentence({ who, facts: event.detail, left: hasLeft(event, envelope) });
  return { icon: rules.icon, tone: rules.tone, text };
}

/** Says who an event is about: the recipient its detail names, if there is one; by the name they had then, should they have left the list. */
function recipientOf(event: AuditEvent, people: Envelope["recipients"]): string | undefined {
  const { recipient, recipient_id: former, full_name: name } = event.detail;
  const listed = people.find((person) => person.id === (recipient ?? former))?.full_name;
  return listed ?? (typeof name === "string" && name !== "" ? name : undefined);
}

/** A server took the message that the event asked for; of one that asks everybody, somebody was told. */
function hasLeft(event: AuditEvent, { recipients, reached }: Reached): boolean {
  const { recipient, message } = event.detail;
  if (recipient === undefined) return reached !== false;
  const state = recipients
    .find(({ id }) => id === recipient)
    ?.deliveries?.find(({ id }) => id === message)?.state;
  return state === "sent" || state === "delivered";
}
