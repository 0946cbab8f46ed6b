/** What the store of a node costs as it fills. */
package io.sluice.bench.store;
