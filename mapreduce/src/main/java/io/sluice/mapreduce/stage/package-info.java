/** Where a reduce task keeps what it must keep itself: in leased extents, or on its local disks. */
package io.sluice.mapreduce.stage;
