import type { Hand } from "@paraphe/contracts";
import { useEffect, useId, useState } from "react";
import styles from "./hand-picker.module.css";
import { HANDS, handFit } from "./hands.ts";
import { loadHands } from "./load-hands.ts";

type HandPickerProps = { readonly name: string; readonly value: Hand; readonly onChange: (hand: Hand) => void };

/** The name in the four hands, to choose one. */
export function HandPicker({ name, value, onChange }: HandPickerProps) {
  const group = useId();
  const [isReady, setIsReady] = useState(false);
  useEffect(() => {
    let isHere = true;
    // Without the fonts (network cut) the hands show in the browser's own cursive: one can still choose.
    void loadHands().finally(() => isHere && setIsReady(true));
    return () => {
      isHere = false;
    };
  }, []);
  return (
    <fieldset className={styles.hands} aria-busy={!isReady}>
      <legend className="sr">Écriture</legend>
      {HANDS.map((hand) => (
        <label key={hand.hand} className={styles.hand}>
          <span
            className={styles.sample}
            style={{ fontFamily: hand.family, fontSize: `${hand.sizeRem * handFit(name)}rem` }}
            aria-hidden="true"
          >
            {name || "\u00a0"}
          </span>
          <small>{hand.name}</small>
          <input
            type="radio"
            name={group}
            value={hand.hand}
            checked={value === hand.hand}
            aria-label={hand.name}
            onChange={() => onChange(hand.hand)}
          />
        </label>
      ))}
    </fieldset>
  );
}
