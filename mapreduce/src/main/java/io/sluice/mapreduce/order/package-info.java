/** How serialized keys are compared, by a prefix of 8 bytes where that decides. */
package io.sluice.mapreduce.order;
