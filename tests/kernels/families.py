"""Families of small windows near zero, and all their windows."""

from collections.abc import Iterator

from hypothesis import strategies as st

from panewise.windows import Family

families = st.one_of(
    st.builds(Family, st.integers(1, 12), st.integers(1, 12), origin=st.integers(-5, 5)),
    st.builds(
        lambda step, parts, origin: Family(step * parts, step * parts, step=step, origin=origin),
        st.integers(1, 4),
        st.integers(1, 5),
        st.integers(-5, 5),
    ),
    st.builds(
        lambda size, at: Family(size, size, origin=at, once=True),
        st.integers(1, 9),
        st.integers(-40, 40),
    ),
)
near = st.integers(-40, 40)


def instances(family: Family) -> Iterator[tuple[int, int]]:
    """Every window near the cells."""
    for k in [0] if family.once else range(-90, 90):
        start = family.origin + k * family.slide
        for end in range(start + family.step, start + family.size + 1, family.step):
            yield start, end
