/** How pictures are asked for, in whatever form. */
export const pictureFold = { heading: "Pictures", places: ["/figures"] } as const
export const pictureAsks = {
  "/figures": { label: "Pictures", row: "picture", rows: 1 },
  "/figures/*/digest": { label: "Picture", hint: "Its digest, which the upload gives.", missing: "Choose picture {n}.", isPicture: true },
  "/figures/*/alt": { label: "What it shows", hint: "For those who do not see it.", missing: "Say what picture {n} shows.", tall: 2 },
} as const
