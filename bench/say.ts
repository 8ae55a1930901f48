/** Says how far a long run has come, and when. */
export function say(what: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} … ${what}`);
}
