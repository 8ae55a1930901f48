import { useState, type Ref } from "react";
import { OTP_LENGTH } from "@paraphe/contracts";
import { classNames } from "../../lib/class-names.ts";
import styles from "./otp-input.module.css";

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (digits: string) => void;
  /** Called once. */
  readonly onComplete: (digits: string) => void;
  readonly invalid?: boolean;
  readonly disabled?: boolean;
  readonly describedBy?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
};

/** One input, for autofill, that looks like six boxes. Drops other characters of a pasted text. */
export function OtpInput({
  label,
  value,
  onChange,
  onComplete,
  invalid = false,
  disabled = false,
  describedBy,
  ref,
}: Props) {
  const [focused, setFocused] = useState(false);
  const type = (text: string) => {
    const digits = text.replace(/\D/gu, "").slice(0, OTP_LENGTH);
    if (digits === value) return;
    onChange(digits);
    if (digits.length === OTP_LENGTH) onComplete(digits);
  };
  const current = Math.min(value.length, OTP_LENGTH - 1);
  return (
    <div className={classNames(styles["otp"], invalid && styles["invalid"])}>
      <input
        ref={ref}
        className={styles["input"]}
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="\d*"
        aria-label={label}
        aria-required="true"
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        value={value}
        disabled={disabled}
        onChange={(event) => type(event.target.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      <div className={styles["cells"]} aria-hidden="true">
        {Array.from({ length: OTP_LENGTH }, (_, index) => (
          <span
            key={index}
            className={classNames(
              styles["cell"],
              focused && index === current && styles["current"],
            )}
          >
            {value[index] ?? ""}
          </span>
        ))}
      </div>
    </div>
  );
}
