import { type Colour, DARK_SURFACE, paletteOf, type ShownIdentity } from "@paraphe/contracts";
import { type CSSProperties, type ReactNode, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon, type IconName } from "../../ui/icon/icon.tsx";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { fullName, useSession } from "../accounts/use-session.ts";
import type { TypedMails } from "./colours-forms.ts";
import styles from "./colours.module.css";

type Props = {
  readonly identity: ShownIdentity;
  readonly address: string;
  readonly logo: string | null;
  readonly colour: Colour;
  /** The colour typed last is illegible, so the preview keeps this one. */
  readonly isKept: boolean;
  readonly mails: TypedMails;
};

const THEMES = [
  { value: "light", label: "Clair" },
  { value: "dark", label: "Sombre" },
] as const;
type Theme = (typeof THEMES)[number]["value"];

/** A mail and a signing page, whatever the theme of the page around. */
export function ColoursPreview({ identity, address, logo, colour, isKept, mails }: Props) {
  const [theme, setTheme] = useState<Theme>("light");
  const palette = paletteOf(colour, { theme });
  const mock = {
    style: {
      "--org": palette.accent,
      "--on-org": palette["on-accent"],
      "--ground": DARK_SURFACE,
    } as CSSProperties,
    className: classNames(styles["mock"], theme === "dark" && styles["dark"]),
  };
  const name = <OwnName name={identity.name} logo={logo} />;
  const session = useSession();
  const sender = session.state === "member" ? fullName(session.user) : "";
  return (
    <section className="card" aria-labelledby="titre-apercu">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="titre-apercu">
            Aperçu
          </h2>
          <p className="muted small">
            {isKept
              ? "Il garde la dernière couleur lisible"
              : "Avant d’enregistrer, rien ne change pour vos signataires"}
          </p>
        </div>
        <Segmented label="Thème de l’aperçu" value={theme} options={THEMES} onChange={setTheme} />
      </div>
      <div className={classNames("card__body", styles["previews"])}>
        <figure>
          <figcaption className={styles["label"]}>Email</figcaption>
          <div {...mock}>
            <Bar icon="mail">
              {`De\u00a0: ${sender} via ${mails.sender_name.trim() || identity.name} <${address}>`}
            </Bar>
            <div className={styles["mail"]}>
              {name}
              <Invitation sender={sender} />
              <span className={styles["button"]}>Lire et signer</span>
            </div>
            <p className={styles["foot"]}>
              {mails.footer.trim() || `${identity.name}, ${identity.address}`}
            </p>
          </div>
        </figure>
        <figure>
          <figcaption className={styles["label"]}>Page de signature</figcaption>
          <div {...mock}>
            <SigningPage name={name} />
          </div>
        </figure>
      </div>
    </section>
  );
}

type BarProps = { readonly icon: IconName; readonly children: string };

function Bar({ icon, children }: BarProps) {
  return (
    <p className={styles["bar"]}>
      <Icon name={icon} size="sm" />
      <span className="truncate">{children}</span>
    </p>
  );
}

function SigningPage({ name }: { readonly name: ReactNode }) {
  return (
    <>
      <div className={styles["head"]}>{name}</div>
      <div className={styles["desk"]} aria-hidden>
        <div className={styles["sheet"]}>
          <i />
          <i />
          <i />
          <b />
        </div>
      </div>
      <div className={styles["act"]}>
        <span className={styles["button"]}>Commencer</span>
      </div>
      <Bar icon="lock">{location.host}</Bar>
    </>
  );
}

function Invitation({ sender }: { readonly sender: string }) {
  return (
    <p>
      <b>Document à signer</b>
      <br />
      {`${sender} vous demande de signer «\u00a0Lettre de mission 2026\u00a0» avant le 5 décembre.`}
    </p>
  );
}

/** A wide logo replaces the name, as in `brand.ts` of the server. */
function OwnName({ name, logo }: { readonly name: string; readonly logo: string | null }) {
  const [isWide, setIsWide] = useState(false);
  return (
    <span className={styles["own"]}>
      {logo !== null && (
        <img
          src={logo}
          alt={isWide ? name : ""}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setIsWide(naturalWidth > 2 * naturalHeight)
          }
        />
      )}
      {!(isWide && logo !== null) && <span>{name}</span>}
    </span>
  );
}
