/** Which build this is; `make web` writes the hash of all files here. */
export const build = "development";
