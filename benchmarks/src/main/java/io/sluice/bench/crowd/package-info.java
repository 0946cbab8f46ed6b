/** A service that many readers ask, and a reader that asks many services. */
package io.sluice.bench.crowd;
