/** How the classes that Spark loads by name reach those that need Java 17. */
package io.sluice.spark.entry;
