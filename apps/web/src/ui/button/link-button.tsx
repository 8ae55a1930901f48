import { Link, type LinkProps } from "react-router";
import { buttonLook, type ButtonLook } from "./button.tsx";

export function LinkButton({
  variant,
  size,
  square,
  block,
  className,
  ...rest
}: Omit<LinkProps, "className"> & ButtonLook) {
  return (
    <Link
      title={square ? rest["aria-label"] : undefined}
      {...rest}
      className={buttonLook({ variant, size, square, block, className })}
    />
  );
}
