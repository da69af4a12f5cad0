"""Lessons as data, and the engine that plays them: short games with scripted luck and a scripted opponent."""

from clerestory.lessons.course import Course, NotAllowed
from clerestory.lessons.lesson import BadLesson, Lesson, NoLesson
from clerestory.lessons.offer import lesson, lessons

__all__ = ["BadLesson", "Course", "Lesson", "NoLesson", "NotAllowed", "lesson", "lessons"]
