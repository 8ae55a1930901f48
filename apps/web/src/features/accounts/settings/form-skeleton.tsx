import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";

type Props = { readonly lines: number /** What is loading, for screen readers. */; readonly label: string };

/** A card that is loading, in about its final size. */
export function FormSkeleton({ lines, label }: Props) {
  return (
    <div className="card" aria-busy="true">
      <span className="sr" role="status">
        {label}
      </span>
      <div className="card__body stack stack--lg">
        {Array.from({ length: lines }, (_, index) => (
          <div className="stack stack--sm" key={index}>
            <Skeleton width={120} />
            <Skeleton width="100%" height={40} />
          </div>
        ))}
      </div>
    </div>
  );
}
