/** Names the mail that says what a text could not. */
export function mailedKey(textKey: string): string {
  return `${textKey}:email`;
}
