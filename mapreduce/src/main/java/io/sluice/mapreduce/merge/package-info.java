/**
 * What both sides need to read runs: codecs before them, how many may be open at once, and Hadoop's
 * iterator behind their merge.
 */
package io.sluice.mapreduce.merge;
