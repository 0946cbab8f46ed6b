/** Comparison of serialized keys, by a prefix of 8 bytes if that decides. */
package io.sluice.mapreduce.order;
