/** Shuffle services of others, from installations that the user names, to be measured beside. */
package io.sluice.it.spark.peer;
