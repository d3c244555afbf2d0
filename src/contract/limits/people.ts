/** Names, passwords and what lets people and their programs in, for how long, and how often a sign-in may fail; and whom owners have told. */
export const ofPeople = {
  usernameMin: 2,
  usernameMax: 40,
  /** Characters of a password. Its upper bound keeps a hash's cost bounded. */
  passwordMin: 10,
  passwordMax: 200,
  credentialLabel: 100,
  credentialThreads: 50,
  credentialDaysDefault: 90,
  credentialDaysMax: 366,
  invitationDays: 7,
  sessionDays: 30,
  /**
   * Failed sign-ins allowed for one name at one address, and ten times that for one address, in one window. For one name at
   * all addresses together there is no more than a slowing: then one try in so many seconds is looked at, while so many wait.
   */
  signInFailures: 10,
  signInWindowSeconds: 300,
  signInSlowedSeconds: 1,
  signInsWaiting: 5,
  /** Failed sign-ins that the audit log notes one by one in so many seconds; the others of that time are counted in one line. */
  auditedFailures: 20,
  auditedFailuresSeconds: 3_600,
  /** Webhooks of a Room; seconds that a delivery may take; days of failures after which one is off; deliveries that are shown of each. */
  roomWebhooks: 10,
  webhookSeconds: 7,
  webhookDays: 3,
  webhookDeliveries: 20,
} as const
