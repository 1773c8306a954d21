/**
 * What device and server agree on, as the server writes it; a test compares this with the program.
 */
export const schema = {
  schemaName: "reading-list",
  schemaVersion: 1,
  schemaText: `table book deleteWins
field author text latest
field isbn text? latest
field notes text latest
field rating integer? latest
field read boolean latest
field readAt instant? latest
field tags list latest
field title text latest
`,
};
