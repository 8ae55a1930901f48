import styles from "./qr.module.css";

type Props = {
  /** `svg` is shown as an image, so that nothing in it runs. */
  readonly svg: string;
  readonly label?: string;
};

/** Always dark on white. */
export function Qr({ svg, label = "QR code de cette page de vérification" }: Props) {
  return (
    <div className={styles["qr"]}>
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />
    </div>
  );
}
