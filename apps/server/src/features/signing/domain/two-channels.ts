/** How a link or a code went; `either`: by a text that may have left, and by mail beside; null: nothing is kept of it. */
type Channel = "email" | "sms" | "either" | null;

/** Says whether a code may be texted behind a link that came so: a number is the sender's word, and only what was mailed has another. */
export function mayText(link: Channel): boolean {
  return link === "email";
}

/** Says whether a code may be entered behind a link: one of the two was mailed, and nowhere else. */
export function areTwoChannels(link: Channel, code: Channel): boolean {
  return link === "email" || code === "email";
}
