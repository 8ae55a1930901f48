import { Icon } from "../icon/icon.tsx";
import styles from "./stepper.module.css";

type Props = {
  readonly steps: readonly string[];
  /** Index of the current step, from 0. */
  readonly current: number;
  /** Index of the furthest step there is to go to; the steps before it are done, wherever one is. The current one when left out. */
  readonly reached?: number;
  /** Indexes of steps that lack something: gone past, they are not done; null while it is not known, and none is said to be. */
  readonly unfinished?: ReadonlySet<number> | null;
  /** When given, done steps can be gone to, and the furthest. */
  readonly onSelect?: (index: number) => void;
};

/** Where one is in a short sequence. */
export function Stepper({ steps, current, reached = current, unfinished, onSelect }: Props) {
  return (
    <ol className={styles["stepper"]} aria-label="Étapes">
      {steps.map((step, index) => {
        const isPast = index !== current && index < Math.max(current, reached);
        const lacks = isPast && unfinished?.has(index) === true;
        const done = isPast && unfinished !== null && !lacks;
        const isOpen =
          onSelect !== undefined && index !== current && index <= Math.max(current, reached);
        const content = (
          <>
            <span className={styles["number"]} aria-hidden="true">
              {done ? <Icon name="check" /> : lacks ? "!" : index + 1}
            </span>
            <span className={styles["text"]}>{step}</span>
            {done && <span className="sr"> (terminée)</span>}
            {lacks && <span className="sr"> (à compléter)</span>}
          </>
        );
        return (
          <li
            key={step}
            className={done ? styles["done"] : lacks ? styles["lacking"] : undefined}
            aria-current={index === current ? "step" : undefined}
          >
            {isOpen ? (
              <button type="button" className={styles["step"]} onClick={() => onSelect(index)}>
                {content}
              </button>
            ) : (
              <span className={styles["step"]}>{content}</span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
