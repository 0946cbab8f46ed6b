/** Storage for runs that a reduce keeps until its merge: leased extents, or local disks. */
package io.sluice.mapreduce.stage;
