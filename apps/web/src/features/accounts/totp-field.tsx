import { useEffect, useId, useRef } from "react";
import { Icon } from "../../ui/icon/icon.tsx";
import { OtpInput } from "../../ui/otp-input/otp-input.tsx";
import styles from "./login/second-step.module.css";

type Props = {
  readonly label: string;
  readonly code: string;
  readonly onChange: (code: string) => void;
  readonly onComplete: (code: string) => void;
  readonly error: string | undefined;
  readonly autoFocus?: boolean;
};

/** Six cells, sent when full. A refusal empties them and leaves the focus there. */
export function TotpField({ label, code, onChange, onComplete, error, autoFocus }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isRefused = error !== undefined && code === "";
  useEffect(() => {
    if (autoFocus === true || isRefused) input.current?.focus();
  }, [autoFocus, isRefused]);
  return (
    <div className="stack stack--sm">
      {/* The input has this name of its own. */}
      <b aria-hidden="true">{label}</b>
      <OtpInput
        ref={input}
        label={label}
        value={code}
        onChange={onChange}
        onComplete={onComplete}
        invalid={isRefused}
        describedBy={error === undefined ? undefined : id}
      />
      {error !== undefined && (
        <p className={styles["error"]} id={id} role="alert">
          <Icon name="alert" />
          {error}
        </p>
      )}
    </div>
  );
}
