import type { ReactNode } from "react";

/** One family of components, under its name. */
export function Specimen({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack stack--sm">
      <h2 className="h2">{title}</h2>
      <div className="card card__body">
        <div className="stack">{children}</div>
      </div>
    </section>
  );
}
