import { useState } from "react";

const LONGEST_WAIT_MS = 5_000;
const LOOK_MS = 50;

/** Prints the page once all its parts are there: whoever prints has not always gone down to them. `isWhole`: they are all wanted now. */
export function useWholePrint(): { readonly isWhole: boolean; readonly print: () => void } {
  const [isWhole, setIsWhole] = useState(false);
  const print = () => {
    setIsWhole(true);
    void whenWhole().then(() => window.print());
  };
  return { isWhole, print };
}

async function whenWhole(): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  do await new Promise((done) => setTimeout(done, LOOK_MS));
  while (document.querySelector("[data-waiting]") !== null && performance.now() < end);
}
