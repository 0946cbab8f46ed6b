/** The merge of a reduce over many compressed runs, by stock and by Sluice. */
package io.sluice.bench.codecs;
