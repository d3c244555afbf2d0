/**
 * The four files of @prometheus-io/client that are used. Its main file also loads the push gateway and the default
 * collectors, which would add 30 ms to every start.
 */
declare module "@prometheus-io/client/lib/registry.js" {
  import { Registry } from "@prometheus-io/client"
  export default Registry
}
declare module "@prometheus-io/client/lib/counter.js" {
  import { Counter } from "@prometheus-io/client"
  export default Counter
}
declare module "@prometheus-io/client/lib/gauge.js" {
  import { Gauge } from "@prometheus-io/client"
  export default Gauge
}
declare module "@prometheus-io/client/lib/histogram.js" {
  import { Histogram } from "@prometheus-io/client"
  export default Histogram
}
