/** Runs jobs on a cluster as a user would, and reads afterwards what they cost. */
package io.sluice.it.job;
