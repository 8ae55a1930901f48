import { Icon } from "../icon/icon.tsx";
import styles from "./stepper.module.css";

type Props = {
  readonly steps: readonly string[];
  /** From 0. */
  readonly current: number;
  /** Index of the furthest reachable step; `current` by default. Steps before it are done. */
  readonly reached?: number;
  /** Indexes of incomplete steps; null while unknown. */
  readonly unfinished?: ReadonlySet<number> | null;
  readonly onSelect?: (index: number) => void;
};

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
