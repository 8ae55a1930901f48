import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";

type Props = {
  /** Of its heading. */
  readonly id: string;
  readonly title: string;
  /** At the right of the heading: what was found, a tool. */
  readonly aside?: ReactNode;
  readonly className?: string | undefined;
  readonly children: ReactNode;
};

/** A part of a page in a frame, with its heading. */
export function Card({ id, title, aside, className, children }: Props) {
  return (
    <section className={classNames("card", className)} aria-labelledby={id}>
      <div className="card__head">
        <h2 className="h2 grow" id={id}>
          {title}
        </h2>
        {aside}
      </div>
      <div className="card__body stack">{children}</div>
    </section>
  );
}
