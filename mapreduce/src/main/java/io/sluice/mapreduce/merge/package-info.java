/**
 * Reading of runs by maps and reduces: codecs, the number of runs to merge at once, and Hadoop's
 * iterator over a merge.
 */
package io.sluice.mapreduce.merge;
