const SUFFIX = ":push";

/** The dedupe key of a push message, made of its event's; and back. Another message about the event has the event's own key. */
export const pushedKey = {
  of: (eventKey: string): string => eventKey + SUFFIX,
  event: (key: string): string => (key.endsWith(SUFFIX) ? key.slice(0, -SUFFIX.length) : key),
};
