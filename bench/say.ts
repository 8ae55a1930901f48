/** Prints time and progress. */
export function say(what: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} … ${what}`);
}
