/** The plug points of Spark: the shuffle manager and its block resolver. */
package io.sluice.spark;
