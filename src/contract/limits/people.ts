/** Names, passwords, credentials and sessions; how often a sign-in may fail; and webhooks. */
export const ofPeople = {
  usernameMin: 2,
  usernameMax: 40,
  /** Characters of a password. The maximum bounds the cost of its hash. */
  passwordMin: 10,
  passwordMax: 200,
  credentialLabel: 100,
  credentialThreads: 50,
  credentialDaysDefault: 90,
  credentialDaysMax: 366,
  invitationDays: 7,
  sessionDays: 30,
  /**
   * Failed sign-ins allowed in one window for one name at one address, and ten times that for one address. Beyond the same
   * number for one name at all addresses, sign-ins with that name are only slowed: one is tried in so many seconds, and so many wait.
   */
  signInFailures: 10,
  signInWindowSeconds: 300,
  signInSlowedSeconds: 1,
  signInsWaiting: 5,
  /** Failed sign-ins that the audit log lists one by one in so many seconds; the rest of them are counted in one line. */
  auditedFailures: 20,
  auditedFailuresSeconds: 3_600,
  /** Webhooks of a Room; seconds that a delivery may take; days of failures after which a webhook is turned off; deliveries shown for each. */
  roomWebhooks: 10,
  webhookSeconds: 7,
  webhookDays: 3,
  webhookDeliveries: 20,
} as const
