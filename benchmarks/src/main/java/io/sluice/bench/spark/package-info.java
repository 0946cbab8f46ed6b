/** Shuffles of stock Spark in its variants, and what they cost. */
package io.sluice.bench.spark;
