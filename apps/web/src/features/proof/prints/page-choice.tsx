import { useState } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { PagePlace, SignedFile } from "./signed-files.ts";
import styles from "./proof-cards.module.css";

/** Shows a page of the document on the whole window, beside the paper that somebody holds. */
export function SeeLarge({ onClick }: { readonly onClick: () => void }) {
  return (
    <div>
      <Button onClick={onClick}>
        <Icon name="eye" size="sm" />
        Voir cette page en grand
      </Button>
    </div>
  );
}

type Props = {
  readonly files: readonly SignedFile[];
  readonly onOpen: (place: PagePlace) => void;
};

/** The choice of a page, to be seen large beside the paper. */
export function PageChoice({ files, onOpen }: Props) {
  const [place, setPlace] = useState<PagePlace>({ index: 0, page: 1 });
  const pages = files[place.index]?.pageCount ?? 1;
  return (
    <div className={styles["choice"]}>
      {files.length > 1 ? (
        <SelectField
          label="Document"
          value={place.index}
          onChange={(event) => setPlace({ index: Number(event.target.value), page: 1 })}
        >
          {files.map((file, index) => (
            <option key={file.address} value={index}>
              {file.name}
            </option>
          ))}
        </SelectField>
      ) : null}
      <SelectField
        label="Page"
        value={place.page}
        onChange={(event) => setPlace({ ...place, page: Number(event.target.value) })}
      >
        {Array.from({ length: pages }, (_, index) => (
          <option key={index} value={index + 1}>
            {`Page ${index + 1} sur ${pages}`}
          </option>
        ))}
      </SelectField>
      <SeeLarge onClick={() => onOpen(place)} />
    </div>
  );
}
