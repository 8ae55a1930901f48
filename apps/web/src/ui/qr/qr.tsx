import styles from "./qr.module.css";

type Props = {
  /** The drawing, as SVG text: shown as an image, so nothing in it can run. */ readonly svg: string;
  readonly label?: string;
};

/** A QR code, always dark on white. */
export function Qr({ svg, label = "QR code de cette page de vérification" }: Props) {
  return (
    <div className={styles["qr"]}>
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />
    </div>
  );
}
