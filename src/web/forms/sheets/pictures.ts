/** Prompts for pictures, in any form. */
export const pictureFold = { heading: "Pictures", places: ["/figures"] } as const
export const picturePrompts = {
  "/figures": { label: "Pictures", row: "picture", rows: 1 },
  "/figures/*/digest": { label: "Picture", hint: "Its digest, which the upload gives.", missing: "Choose picture {n}.", isPicture: true },
  "/figures/*/alt": { label: "What it shows", hint: "For people who cannot see it.", missing: "Say what picture {n} shows.", tall: 2 },
} as const
