import { Icon } from "../icon/icon.tsx";
import styles from "./stepper.module.css";

type Props = {
  readonly steps: readonly string[];
  /** Index of the current step, from 0. */
  readonly current: number;
  /** Index of the furthest step there is to go to; the steps before it are done, wherever one is. The current one when left out. */
  readonly reached?: number;
  /** When given, done steps can be gone to, and the furthest. */
  readonly onSelect?: (index: number) => void;
};

/** Where one is in a short sequence. */
export function Stepper({ steps, current, reached = current, onSelect }: Props) {
  return (
    <ol className={styles["stepper"]} aria-label="Étapes">
      {steps.map((step, index) => {
        const done = index !== current && index < Math.max(current, reached);
        const isOpen = onSelect !== undefined && index !== current && index <= Math.max(current, reached);
        const content = (
          <>
            <span className={styles["number"]} aria-hidden="true">
              {done ? <Icon name="check" /> : index + 1}
            </span>
            <span className={styles["text"]}>{step}</span>
            {done && <span className="sr"> (terminée)</span>}
          </>
        );
        return (
          <li key={step} className={done ? styles["done"] : undefined} aria-current={index === current ? "step" : undefined}>
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
