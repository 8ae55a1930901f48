import { type ReactNode, useState } from "react";
import { SelectField } from "../../../ui/field/field.tsx";
import type { PagePlace, SignedFile } from "./proof-files.ts";
import styles from "./proof-cards.module.css";

type Props = {
  readonly files: readonly SignedFile[];
  readonly children: (place: PagePlace) => ReactNode;
};

export function PageChoice({ files, children }: Props) {
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
      {children(place)}
    </div>
  );
}
