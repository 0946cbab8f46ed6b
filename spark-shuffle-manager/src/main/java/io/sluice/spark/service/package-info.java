/** The node's service where no cluster manager runs it, and how an application uses it. */
package io.sluice.spark.service;
