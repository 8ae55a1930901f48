import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";

type Props = {
  readonly id: string;
  readonly title: string;
  readonly aside?: ReactNode;
  readonly className?: string | undefined;
  readonly isInner?: boolean;
  readonly children: ReactNode;
};

export function Card({ id, title, aside, className, isInner = false, children }: Props) {
  const Title = isInner ? "h3" : "h2";
  return (
    <section className={classNames(isInner ? "stack" : "card", className)} aria-labelledby={id}>
      <div className={isInner ? "row row--between" : "card__head"}>
        <Title className={isInner ? "h3" : "h2 grow"} id={id}>
          {title}
        </Title>
        {aside}
      </div>
      <div className={isInner ? "stack" : "card__body stack"}>{children}</div>
    </section>
  );
}
